"""The reports of many machines as one answer: what is equal, what differs and how."""
