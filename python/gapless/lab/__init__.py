"""The expectation tests of MPI datatypes: what is compared with what, how it is measured, and what the verdict is.

The flow: catalogue -> jobs for ``lab/exchange`` -> run file -> rows -> verdicts -> tables, report, comparison.
"""
