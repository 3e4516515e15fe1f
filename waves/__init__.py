"""Waves: which decisions may be sent, and the switches that open and close them. Pure."""
