"""A class: the teacher's page commands, and a process of its own serves the students a page that has no commands."""
