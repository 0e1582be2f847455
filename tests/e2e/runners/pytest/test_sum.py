import pytest


class TestSum:
    def test_adds(self):
        assert 1 + 1 == 2

    def test_is_wrong(self):
        assert 1 + 1 == 3

    @pytest.mark.skip
    def test_is_skipped(self):
        pass
