/// Takes a value, so that the optimiser cannot remove the work that made it.
@inline(never)
@_optimize(none)
package func blackHole<Value>(_ value: borrowing Value) {}
