"""Ends a child when its parent ends. It is run as a script between the two, and then becomes the child.

    python end_with_parent.py PARENT_PID SIGNAL_NUMBER COMMAND [ARGUMENT …]

Linux sends SIGNAL_NUMBER to the child when the *thread* that started it ends, however it ends (prctl(2),
PR_SET_PDEATHSIG). The setting outlives exec, so it is made here, in a process with one thread, instead of between fork
and exec of a process that may have many. Elsewhere there is no such call: the child then ends only with an orderly end
of ours.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    parent, signum, command = int(arguments[0]), int(arguments[1]), arguments[2:]
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signum, 0, 0, 0) != 0:
        sys.exit(f"prctl failed: {os.strerror(ctypes.get_errno())}")
    # If the parent died before the call above, no signal would ever come.
    if os.getppid() != parent:
        sys.exit("the process that started this one is gone")
    try:
        os.execvp(command[0], command)  # noqa: S606  (a shell would be one more process to end)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
