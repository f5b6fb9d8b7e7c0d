"""The force: how it enters and leaves a campaign, its models, and its points."""
