#!/usr/bin/env bash
# Makes the pictures of docs/gallery.md: runs their cases and copies figures of their reports.
set -euo pipefail
cd "$(dirname "$0")/.."
fretwork=${FRETWORK:-target/release/fretwork}
runs=$(mktemp -d)
images=docs/images/gallery
mkdir -p "$images"
take() { # case, figure, name
    [ -d "$runs/$1" ] || "$fretwork" run "cases/$1.toml" -q --figures svg -o "$runs/$1"
    cp "$runs/$1/figures/$2.svg" "$images/$3.svg"
}
take imperial_rig/response mesh rig_mesh
take imperial_rig/response response_arm_log rig_response
take imperial_rig/response response_contact0_loops_each_to_its_size rig_loops
take imperial_rig/response response_contact0_regime rig_regimes
take imperial_rig/response response_contact0_status_1 rig_status
take imperial_rig/modes stuck_1 rig_mode
take imperial_rig/modes top_mac rig_mac
take duffing response_u_linear duffing
take tuning_fork frf_struck_tine_log tuning_fork
take academic_2dof/response response_u1_log academic
rm -r "$runs"
