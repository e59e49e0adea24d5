@echo off
rem Work on the book without a network: start.cmd start 1b, start.cmd test 1b,
rem start.cmd read. Whatever "lab exercise" understands, and any command of lab. To
rem read without it, there are reconcile.pdf and reconcile.epub, if they were packed.
cd /d "%~dp0"
set GOFLAGS=-mod=vendor
set GOTOOLCHAIN=local
set GOPROXY=off
set RECONCILE_CALLED=start.cmd
set lab=bin\windows-amd64\lab.exe
if not exist %lab% (
  echo start.cmd: this folder was not packed for Windows 1>&2
  exit /b 1
)
for %%c in ("" list start next goto checkpoint flag hint test watch reset solution report) do (
  if "%~1"=="%%~c" goto exercise
)
%lab% %*
exit /b %errorlevel%
:exercise
%lab% exercise %*
exit /b %errorlevel%
