// Package address rents an address outside the cluster for each Deployment, and
// lets no Deployment go before its address has been given back.
package address

import (
	"context"
	"slices"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// Finalizer keeps a Deployment until its address has been given back.
const Finalizer = "addresses.example/give-back"

// Provider rents out addresses. It's outside the cluster: any call may fail, and
// may have been carried out all the same.
type Provider interface {
	// Rented returns the addresses that an owner has now. An owner is any text.
	Rented(ctx context.Context, owner string) ([]string, error)
	// Rent rents an address for an owner: one more at each call.
	Rent(ctx context.Context, owner string) (address string, err error)
	// GiveBack gives an address back. Another owner may have it next.
	GiveBack(ctx context.Context, address string) error
}

// Addresses rents an address for each Deployment.
type Addresses struct {
	Client      controlloop.Client
	Deployments *controlloop.Indexer
	Provider    Provider
}

// Reconcile implements controlloop.Reconciler.
//
//book:exercise 2m
func (a *Addresses) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := a.Deployments.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	if obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, a.leave(ctx, obj)
	}
	return controlloop.Result{}, a.stay(ctx, obj)
}

// stay sees to a Deployment that isn't being deleted.
//
//book:exercise 2m
func (a *Addresses) stay(ctx context.Context, obj controlloop.Object) error {
	held := slices.Contains(obj.GetFinalizers(), Finalizer)
	rented, err := a.Provider.Rented(ctx, string(obj.GetUID()))
	if err != nil || held && len(rented) > 0 {
		return err
	}
	next := controlloop.Copy(obj)
	if !held {
		next.SetFinalizers(append(next.GetFinalizers(), Finalizer))
	}
	// With nothing new this writes nothing, and is refused if the cache is late.
	if _, err := a.Client.Update(ctx, next); err != nil || len(rented) > 0 {
		return err
	}
	_, err = a.Provider.Rent(ctx, string(obj.GetUID()))
	return err
}

// leave sees to a Deployment that is being deleted.
//
//book:exercise 2m
func (a *Addresses) leave(ctx context.Context, obj controlloop.Object) error {
	rented, err := a.Provider.Rented(ctx, string(obj.GetUID()))
	if err != nil || !slices.Contains(obj.GetFinalizers(), Finalizer) {
		return err
	}
	for _, address := range rented {
		if err := a.Provider.GiveBack(ctx, address); err != nil {
			return err
		}
	}
	next := controlloop.Copy(obj)
	next.SetFinalizers(slices.DeleteFunc(next.GetFinalizers(),
		func(f string) bool { return f == Finalizer }))
	_, err = a.Client.Update(ctx, next)
	return deployment.IfThere(err)
}
