"""The user's specification as code: slow, plain, and what every fast kernel is tested against."""
