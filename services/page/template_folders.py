"""Where the templates of the page lie, and those of the reports, of which it uses the tables."""

from pathlib import Path

import services.report

PAGE_TEMPLATES = Path(__file__).parent / "templates"
REPORT_TEMPLATES = Path(services.report.__file__).parent / "templates"
