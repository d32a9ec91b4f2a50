"""What an experiment takes, told before it is paid for."""
