package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ProductTest {
  @Test
  public void multiplies() {
    assertEquals(4, 2 * 2);
  }
}
