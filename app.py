"""Opens the page: `python app.py --help`."""

import sys

from gui.launch import main

if __name__ == "__main__":
    main(sys.argv[1:])
