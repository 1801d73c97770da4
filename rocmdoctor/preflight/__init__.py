"""Provisioning: declared expectations over the facts of one machine, one verdict."""
