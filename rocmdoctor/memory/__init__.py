"""Memory truth: where the memory of each GPU is, what a model needs, whether it fits, and what to set.

Pure functions of a Snapshot's facts; :mod:`rocmdoctor.memory.picture` is the way in.
"""
