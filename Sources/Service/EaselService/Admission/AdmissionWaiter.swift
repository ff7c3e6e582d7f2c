import EaselCore

/// The decision about a piece of work that asks for admission.
enum AdmissionOutcome {
  case admitted(AdmissionPlace)
  case refused(AdmissionRefusal)
  case withdrawn
}

/// A piece of work that asks for admission, used only under the lock of its ``Admission``.
final class AdmissionWaiter: WaitingWork<AdmissionOutcome>, @unchecked Sendable {
  let cost: WorkCost
  let deadline: Duration?
  /// The client that the work is charged to.
  var client: AdmissionClient
  var lane = AdmissionLane.normal
  var arrival = Duration.zero
  /// The number of its arrival.
  var turn: UInt64 = 0
  /// The time by which it begins, as far as estimates are right.
  var due = Duration.zero
  /// The time that its client will have had when it begins.
  var start = 0.0
  /// Its place in the order; the lowest goes first.
  var tag = 0.0

  // The links of its line and its place in the heap, nil while it does not wait.
  fileprivate(set) var isWaiting = false
  fileprivate var next: AdmissionWaiter?
  fileprivate var previous: AdmissionWaiter?
  fileprivate var heapIndex: Int?

  init(_ cost: WorkCost, client: AdmissionClient = .nobody, deadline: Duration?) {
    self.cost = cost
    self.client = client
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
struct AdmissionLine: Sequence {
  private var oldest: AdmissionWaiter?
  private var newest: AdmissionWaiter?

  func makeIterator() -> AnyIterator<AdmissionWaiter> {
    var waiter = oldest
    return AnyIterator {
      defer { waiter = waiter?.next }
      return waiter
    }
  }

  mutating func add(_ waiter: AdmissionWaiter) {
    waiter.isWaiting = true
    waiter.previous = newest
    if let newest { newest.next = waiter } else { oldest = waiter }
    newest = waiter
  }

  mutating func remove(_ waiter: AdmissionWaiter) {
    let (previous, next) = (waiter.previous, waiter.next)
    if let previous { previous.next = next } else { oldest = next }
    if let next { next.previous = previous } else { newest = previous }
    waiter.next = nil
    waiter.previous = nil
    waiter.isWaiting = false
  }
}

/// Waiters in the order of their tags; the first is at hand, and any can be removed in O(log n).
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

  /// True if one waiter goes before another; of equal tags, the one who came first.
  static func precedes(_ one: AdmissionWaiter, _ other: AdmissionWaiter) -> Bool {
    (one.tag, one.turn) < (other.tag, other.turn)
  }

  private mutating func rise(_ index: Int) {
    var index = index
    while index > 0, Self.precedes(waiters[index], waiters[(index - 1) / 2]) {
      swap(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ index: Int) {
    var index = index
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < waiters.count {
        if Self.precedes(waiters[child], waiters[least]) { least = child }
      }
      guard least != index else { return }
      swap(index, least)
      index = least
    }
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    waiters.swapAt(left, right)
    waiters[left].heapIndex = left
    waiters[right].heapIndex = right
  }
}
