require 'test-unit'

class TestSum < Test::Unit::TestCase
  def test_adds
    assert_equal(2, 1 + 1)
  end

  def test_is_wrong
    assert_equal(3, 1 + 1)
  end

  def test_is_skipped
    omit
  end
end
