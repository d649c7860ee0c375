"""rig: is a language-model variant better, where, and how sure is that?"""

__version__ = "0.1.0"
