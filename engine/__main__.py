"""`python -m engine` does what `birikim` does."""

from engine.cli import main

main()
