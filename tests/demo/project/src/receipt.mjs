// Prints a receipt.

export function receiptFor(order) {
  return `${order.customer.name}: ${order.items.join(', ')}`;
}
