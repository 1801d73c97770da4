"""A server of the Model Context Protocol on standard input and output: the commands as read-only tools for an agent."""
