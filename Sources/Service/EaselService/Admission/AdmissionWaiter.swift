import EaselCore

/// A piece of work that asks for admission.
///
/// Unchecked because it is used only under the lock of its ``Admission``.
final class AdmissionWaiter: @unchecked Sendable {
  enum Outcome {
    case admitted(AdmissionPlace)
    case refused(AdmissionRefusal)
    case withdrawn
  }

  let cost: WorkCost
  let deadline: Duration?
  var lane = AdmissionLane.normal
  var arrival = Duration.zero
  /// The number of its arrival.
  var turn: UInt64 = 0
  /// The last time at which it can begin and still be ready by its deadline.
  var latestStart = Duration.longest
  var outcome: Outcome?
  var continuation: UnsafeContinuation<Void, Never>?

  // The links of its line and its place in the heap, nil while it does not wait.
  fileprivate(set) var isWaiting = false
  fileprivate var next: AdmissionWaiter?
  fileprivate var previous: AdmissionWaiter?
  fileprivate var heapIndex: Int?

  init(_ cost: WorkCost, deadline: Duration?) {
    self.cost = cost
    self.deadline = deadline
  }
}

/// The room that an admitted piece of work takes.
struct AdmissionPlace: Hashable {
  let number: UInt64
  let lane: AdmissionLane
  let isReserved: Bool
  let cost: WorkCost
  let begun: Duration
}

/// Waiters in the order of their arrival.
struct AdmissionLine {
  private(set) var oldest: AdmissionWaiter?
  private(set) var newest: AdmissionWaiter?
  private(set) var count = 0
  private(set) var nanoseconds = 0

  mutating func add(_ waiter: AdmissionWaiter) {
    waiter.isWaiting = true
    waiter.previous = newest
    if let newest { newest.next = waiter } else { oldest = waiter }
    newest = waiter
    count += 1
    nanoseconds += waiter.cost.nanoseconds
  }

  mutating func remove(_ waiter: AdmissionWaiter) {
    let (previous, next) = (waiter.previous, waiter.next)
    if let previous { previous.next = next } else { oldest = next }
    if let next { next.previous = previous } else { newest = previous }
    waiter.next = nil
    waiter.previous = nil
    waiter.isWaiting = false
    count -= 1
    nanoseconds -= waiter.cost.nanoseconds
  }
}

/// Waiters with a deadline; the one that must begin first is at hand, and any can be removed in O(log n).
struct AdmissionHeap {
  private var waiters: [AdmissionWaiter] = []

  var first: AdmissionWaiter? { waiters.first }
  var count: Int { waiters.count }

  mutating func add(_ waiter: AdmissionWaiter) {
    waiters.append(waiter)
    waiter.heapIndex = waiters.count - 1
    rise(waiters.count - 1)
  }

  /// Removes a waiter, if it is there.
  mutating func remove(_ waiter: AdmissionWaiter) {
    guard let index = waiter.heapIndex else { return }
    waiter.heapIndex = nil
    let last = waiters.removeLast()
    guard index < waiters.count else { return }
    waiters[index] = last
    last.heapIndex = index
    sink(index)
    rise(index)
  }

  private mutating func rise(_ index: Int) {
    var index = index
    while index > 0, waiters[index].latestStart < waiters[(index - 1) / 2].latestStart {
      swap(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ index: Int) {
    var index = index
    while true {
      let children = (2 * index + 1..<2 * index + 3).filter { $0 < waiters.count }
      guard let child = children.min(by: { waiters[$0].latestStart < waiters[$1].latestStart }),
        waiters[child].latestStart < waiters[index].latestStart
      else { return }
      swap(index, child)
      index = child
    }
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    waiters.swapAt(left, right)
    waiters[left].heapIndex = left
    waiters[right].heapIndex = right
  }
}
