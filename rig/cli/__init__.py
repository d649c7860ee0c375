"""The `rig` command, one file a group of subcommands."""
