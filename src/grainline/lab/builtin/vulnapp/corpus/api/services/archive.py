"""Files of the archive, by the name under which they were uploaded."""

from pathlib import Path

from api.platform import disk

PAPERS = Path("/srv/parcels/papers")
PICTURES = Path("/srv/parcels/pictures")


def load_document(name):
    place = PAPERS / name
    return disk.read(place)


def load_thumbnail(name):
    place = (PICTURES / name).resolve()
    if not place.is_relative_to(PICTURES):
        raise PermissionError(name)
    return disk.read(place)
