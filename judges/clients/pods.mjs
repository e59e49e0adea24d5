// Lists, watches, creates and deletes a Pod by Kubernetes' JavaScript client.
import { CoreV1Api, KubeConfig, Watch } from "@kubernetes/client-node";

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const namespace = "default", name = "from-javascript";
const { items } = await core.listNamespacedPod({ namespace });
console.log("pods there:", items.map((pod) => pod.metadata.name).join(" ") || "none");

let ended;
const end = new Promise((resolve) => ended = resolve);
const watching = await new Watch(config).watch("/api/v1/namespaces/default/pods", {}, async (type, pod) => {
	console.log(type, pod.metadata.name, pod.status.phase);
	if (type === "MODIFIED" && pod.status.phase === "Running" && !pod.metadata.deletionTimestamp) await core.deleteNamespacedPod({ name, namespace });
	if (type === "DELETED") ended();
}, ended);
await core.createNamespacedPod({ namespace, body: { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image: "nginx:1.27" }] } } });
await end;
watching.abort();
