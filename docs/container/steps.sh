#!/usr/bin/env bash
# The steps of the Containerfile as a script, for where there is no container runtime:
#
#   docs/container/steps.sh build ROOT                          COPY, ENV and RUN, with ROOT in the place of /
#   docs/container/steps.sh run [--read-only] ROOT [OPTIONS]    ENTRYPOINT as the user of USER
#
# `run` needs root, to become that user; it goes on as who calls it otherwise. --read-only, which needs root too, makes
# every file system read-only, for this service alone (a mount namespace). What is left to a runtime is a
# root of its own. PYTHON names the Python, python3 if not: one that every user may start, so none below /root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
file=$here/Containerfile
what=$1
shift
if [ "$1" = --read-only ]; then
    shift
    exec unshare --mount "$0" sealed "$@"
fi
root=$1
shift
mkdir -p "$root"
root=$(cd "$root" && pwd)

# Absolute paths of the container, those below ROOT.
inside() { sed -E "s#(^|[ =\"[])/(src|opt)#\1$root/\2#g; s#^python3 #${PYTHON:-python3} #" <<<"$1"; }

# What is mounted in this namespace, read-only.
seal() {
    local place places
    mapfile -t places < <(cut -d' ' -f2 /proc/self/mounts)
    for place in "${places[@]}"; do
        mount -o remount,bind,ro "$(printf %b "$place")"
    done
}

case $what in
build)
    while read -r word rest; do
        case $word in
        COPY)
            read -ra parts <<<"$(inside "$rest")"
            target=${parts[-1]}
            for each in "${parts[@]:0:${#parts[@]}-1}"; do
                case $target in */) mkdir -p "$target" ;; *) mkdir -p "$(dirname "$target")" ;; esac
                cp -R "$source/$each" "$target"
            done
            ;;
        ENV) export "$(inside "$rest")" ;;
        RUN)
            echo "+ $rest"
            bash -euo pipefail -c "$(inside "$rest")"
            ;;
        esac
    done < <(grep -vE '^(#|$)' "$file")
    ;;
run | sealed)
    if [ "$what" = sealed ]; then seal; fi
    user=$(sed -n 's/^USER //p' "$file")
    export "$(inside "$(sed -n 's/^ENV //p' "$file")")"
    command=$(inside "$(sed -n 's/^ENTRYPOINT \[\(.*\)\]$/\1/p' "$file" | tr -d '",')")
    read -ra words <<<"$command"
    cd "$root"
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups --no-new-privs --bounding-set=-all \
            --inh-caps=-all "${words[@]}" "$@"
    fi
    exec "${words[@]}" "$@"
    ;;
*)
    echo "steps.sh: $what; allowed is build or run" >&2
    exit 2
    ;;
esac
