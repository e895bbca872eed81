"""`gapless tune`: what is measured where packing may pay, and the rules that are made of it."""
