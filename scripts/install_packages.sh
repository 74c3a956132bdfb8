#!/usr/bin/env bash
# Installs the packages of the given sections of packages.txt that are missing; silent if none is. Without apt it
# installs nothing, and names what it does not find; the build then decides.
# Usage: scripts/install_packages.sh SECTION...
set -euo pipefail

list="$(dirname "$0")/../packages.txt"
os_release="${SINEW_OS_RELEASE:-/etc/os-release}"  # another one for tests

say() { echo "install_packages: $*" >&2; }
of_system() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$os_release" 2>/dev/null || true; }
system="$(of_system ID)"

# Whether a program, or a module of pkg-config, is there.
seen() {
  case "$1" in
    *.pc) command -v pkg-config >/dev/null && pkg-config --exists "${1%.pc}" ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

wanted=()
unseen=()
for section in "$@"; do
  mapfile -t of_section < <(awk -v section="$section" '$1 == section { $1 = ""; print }' "$list")
  if [ ${#of_section[@]} -eq 0 ]; then
    say "packages.txt has no section '$section'"
    exit 2
  fi
  for line in "${of_section[@]}"; do
    read -r package options <<<"$line"
    program='' look=''
    while read -r option value options <<<"$options" && [ -n "$option" ]; do
      case "$option" in
        unless) program="$value" look="$value" ;;
        seen-as) look="$value" ;;
        not-on) [ "$value" != "$system" ] || continue 2 ;;
      esac
    done
    # A machine may have a Node.js or browser that is not from its packages.
    [ -n "$program" ] && seen "$program" || wanted+=("$package")
    [ -n "$look" ] && seen "$look" || unseen+=("$package")
  done
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  [ ${#unseen[@]} -gt 0 ] || exit 0
  say "there is no apt here and these were not found; install your system's equivalents of" \
    "(Debian's names) ${unseen[*]}"
  exit 0
fi

missing=()
for package in ${wanted[@]+"${wanted[@]}"}; do
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    say "these are missing and there is no sudo; run as root: apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi
apt() {
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

echo "Installing ${missing[*]}"
# The lists of available packages are fetched only if they turn out to be absent or stale.
apt install --no-install-recommends -y "${missing[@]}" >/dev/null 2>&1 && exit 0
apt update || say "the lists of packages could not be fetched; those that are there are used"
unknown=()
for package in "${missing[@]}"; do
  apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || unknown+=("$package")
done
if [ ${#unknown[@]} -gt 0 ]; then
  say "$(of_system PRETTY_NAME) has no package ${unknown[*]} (packages.txt has the names of Debian 12 and Ubuntu" \
    "24.04); install what they are called there, or newer versions by hand, then build with cmake --preset release"
  exit 1
fi
if ! apt install --no-install-recommends -y "${missing[@]}" >/dev/null; then
  say "apt-get could not install ${missing[*]}; its message is above"
  exit 1
fi
