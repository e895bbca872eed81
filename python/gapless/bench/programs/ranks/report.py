"""What the ranks of `gapless bench programs` leave behind; they import no Gapless, and their Python may be another."""

import hashlib
import json
from pathlib import Path


def report(folder, rank, samples_s, arrays, passed):
    """Write what one rank found into a file of the folder.

    Parameters
    ----------
    folder : str
        Where the files of all ranks go.
    rank : int
        This one.
    samples_s : list of float
        Seconds that this rank took, repetition by repetition.
    arrays : sequence of arrays
        Of the result, this rank's part; its bits become a SHA-256.
    passed : bool
        Whether the result is right by the program's own measure.
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    found = {"samples_s": samples_s, "digest": digest.hexdigest(), "passed": bool(passed)}
    Path(folder, f"rank-{rank}.json").write_text(json.dumps(found), encoding="utf-8")
