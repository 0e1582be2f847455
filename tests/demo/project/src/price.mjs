// Adds up a basket.

export function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.amount, 0);
}
