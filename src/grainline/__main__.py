"""`python -m grainline`: the command, wherever its script is not on the path."""

from grainline.surfaces.cli.main import main

if __name__ == "__main__":
    main()
