#!/usr/bin/env bash
# Installs the packages of the given sections of packages.txt that are missing; silent if none is.
# Usage: scripts/install_packages.sh SECTION...
set -euo pipefail

list="$(dirname "$0")/../packages.txt"

wanted=()
for section in "$@"; do
  mapfile -t of_section < <(awk -v section="$section" '$1 == section { print $2, $4 }' "$list")
  if [ ${#of_section[@]} -eq 0 ]; then
    echo "install_packages: packages.txt has no section '$section'" >&2
    exit 2
  fi
  for line in "${of_section[@]}"; do
    read -r package program <<<"$line"
    # A machine may have a Node.js or browser that is not from Debian.
    [ -n "$program" ] && command -v "$program" >/dev/null || wanted+=("$package")
  done
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_packages: no apt here, so nothing was installed. The build needs the equivalents of" >&2
  echo "install_packages: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages: these are missing and there is no sudo; run as root:" >&2
    echo "install_packages:   apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

echo "Installing ${missing[*]}"
# The lists of available packages are fetched only if they turn out to be absent or stale.
if ! apt install --no-install-recommends -y "${missing[@]}" >/dev/null 2>&1; then
  apt update
  apt install --no-install-recommends -y "${missing[@]}" >/dev/null
fi
