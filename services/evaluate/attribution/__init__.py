"""Why a question was failed, at which hop, and whether what was lost there was made up for later."""
