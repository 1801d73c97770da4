"""A running language model server: is it right, on the GPU, and as fast as it should be?"""
