"""A server for all tests. `npm run test:python` names the program by TABGYM_SERVE."""

import pytest
import tabgym


@pytest.fixture(scope="session")
def server():
    with tabgym.serve("textcraft", "babyai", "wordle") as running:
        yield running
