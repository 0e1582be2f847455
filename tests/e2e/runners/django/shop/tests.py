from unittest import skip

from django.test import SimpleTestCase


class SumTest(SimpleTestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_is_wrong(self):
        self.assertEqual(1 + 1, 3)

    @skip("not yet")
    def test_is_skipped(self):
        pass
