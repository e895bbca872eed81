"""Whole applications with halos: by hand or by a datatype, by three calls, natively and under the layer."""
