"""`python -m gapless`: the command, where no script starts it."""

from gapless.cli.main import main

main()
