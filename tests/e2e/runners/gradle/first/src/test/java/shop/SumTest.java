package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class SumTest {
  @Test
  public void adds() {
    assertEquals(4, 2 + 2);
  }

  @Test
  public void is_wrong() {
    assertEquals(5, 2 + 2);
  }

  @Ignore
  @Test
  public void isSkipped() {}
}
