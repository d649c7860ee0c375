"""`python -m rig` is the `rig` command."""

from rig.cli.main import main

if __name__ == "__main__":
    main()
