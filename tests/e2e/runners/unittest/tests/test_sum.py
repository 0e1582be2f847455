import unittest


class TestSum(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_is_wrong(self):
        self.assertEqual(1 + 1, 3)

    @unittest.skip("later")
    def test_is_skipped(self):
        pass
