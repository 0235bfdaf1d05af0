#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""No way in which a rank ends, or does not go on, keeps the others waiting: they say what they were told, and the job ends.

    ends.py PROGRAM MPIEXEC FLAG     runs tests/mpi/ends.cpp as three processes, of which the second is the one
"""

import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 2  # seconds, of a call
GRACE = 2  # after a failure, as ends.cpp gives it
START = 40  # of a job, on a machine that has other work
LATE = "did not come to|came to, but did not finish"
# How, at which stage, what one of the others has to say (or nobody, where MPI itself ends the job), and whether all is well.
WAYS = (
    *((how, stage, None, False) for how in ("is_killed", "terminates") for stage in ("before", "step", "sum", "end")),
    ("exits", "step", None, False),
    ("sleeps", "before", "not all came within 2 s", False),
    ("sleeps", "step", f"rank 1 ({LATE})", False),
    ("sleeps", "sum", f"rank 1 ({LATE})", False),
    ("is_stopped", "step", f"rank 1 ({LATE})", False),
    ("is_stopped", "sum", f"rank 1 ({LATE})", False),
    ("throws", "step", "rank 1 of 3 left after 9 calls: an exception ended it", False),
    ("throws", "sum", "rank 1 of 3 dropped call 10, all_reduce of 300000 floats in 5 leaves, because of an exception", False),
    ("is_done", "", "rank 1 of 3 left after 9 calls: its transport has ended", False),
    ("is_well", "", None, True),
)


def run(words):
    """What a job printed, its exit status (None where it had to be ended), and how long it took."""
    start = time.monotonic()
    job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = job.communicate(timeout=PATIENCE + GRACE + START)
        status = job.returncode
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        output, _ = job.communicate()
        status = None
    return output, status, time.monotonic() - start


def main(program, *mpiexec):
    wrong = 0
    for how, stage, words, is_well in WAYS:
        output, status, took = run([*mpiexec, "3", program, how, stage or "-", str(PATIENCE)])
        faults = []
        if status is None:
            faults.append("the job does not end")
        elif (status == 0) != is_well:
            faults.append(f"the job ends with status {status}")
        told = [line for line in output.splitlines() if re.match(r"rank [02] says: ", line)]
        if words and not any(re.search(words, line) for line in told):
            faults.append(f"no other rank says '{words}'")
        if words and len(told) != 2:
            faults.append(f"{len(told)} of 2 ranks say what happened")
        print(f"{how} {stage}: {took:.1f} s" + "".join(f"\n    {line}" for line in told))
        if faults:
            print("  WRONG: " + "; ".join(faults) + "\n" + output)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
