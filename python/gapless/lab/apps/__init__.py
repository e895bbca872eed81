"""`gapless measure apps`: what applications send, in every way in which they could send it."""
