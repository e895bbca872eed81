"""A datatype as a picture: `svg`, `html` and `page` draw the document of `gapless explain --json`."""

from gapless.picture.drawing import html, page, svg

__all__ = ["html", "page", "svg"]
