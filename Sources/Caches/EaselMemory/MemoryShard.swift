import EaselCore

/// A part of the store under one lock: its nodes in the order of their use, and the table that finds them.
///
/// Whatever it lets go of it hands to its caller, who releases it outside the lock: the last reference to a key or a
/// picture may run code of a user.
struct MemoryShard {
  struct Node {
    var key: CacheKey?
    var entry: CacheEntry?
    // Most who ask have a copy of the very key, which is told without touching it.
    var identity: ObjectIdentifier?
    var cost = 0
    var stamp = 0
    var stored: Int64 = 0
    var previous: Int32 = 0
    var next: Int32 = 0
  }

  /// What was let go of.
  struct Removed {
    var key: CacheKey
    var entry: CacheEntry
    var cost: Int
    var stored: Int64
  }

  // Node 0 stands for both ends of the list: its next is the latest used, its previous the one unused for longest.
  private var nodes: UnsafeMutablePointer<Node>
  private var capacity = 8
  private var used = 1
  private var free: Int32 = 0
  private var table = KeyTable()

  /// How often something was asked for.
  var uses = 0

  init() {
    nodes = .allocate(capacity: capacity)
    nodes.initialize(to: Node())
  }

  func deallocate() {
    nodes.deinitialize(count: used)
    nodes.deallocate()
    table.deallocate()
  }

  var count: Int { table.count }

  var places: [Int] { (1..<max(1, used)).filter { nodes[$0].key != nil } }

  /// The one unused for longest.
  var oldestPlace: Int? { count == 0 ? nil : Int(nodes[0].previous) }

  /// When the one unused for longest was used last, `.max` when there is none.
  var oldestStamp: Int { count == 0 ? .max : nodes[Int(nodes[0].previous)].stamp }

  @inline(__always)
  func place(of key: CacheKey) -> Int? {
    let identity = key.identity
    return table.place(of: key.precomputedHash) {
      nodes[$0].identity == identity || nodes[$0].key.unsafelyUnwrapped == key
    }
  }

  @inline(__always)
  func entry(at place: Int) -> CacheEntry { nodes[place].entry.unsafelyUnwrapped }

  @inline(__always)
  func stored(at place: Int) -> Int64 { nodes[place].stored }

  func cost(at place: Int) -> Int { nodes[place].cost }

  /// Whether a use at `stamp` changes the order by enough to be worth writing to three nodes.
  @inline(__always)
  func mustMove(_ place: Int, at stamp: Int) -> Bool { stamp &- nodes[place].stamp > UseClock.slack(count) }

  mutating func touch(_ place: Int, at stamp: Int) {
    nodes[place].stamp = stamp
    guard nodes[0].next != Int32(place) else { return }
    unlink(place)
    linkFirst(place)
  }

  mutating func insert(_ key: CacheKey, _ entry: CacheEntry, cost: Int, stamp: Int, stored: Int64) {
    let place = takeNode()
    nodes[place] = Node(key: key, entry: entry, identity: key.identity, cost: cost, stamp: stamp, stored: stored)
    linkFirst(place)
    let nodes = nodes
    table.insert(key.precomputedHash, place) { nodes[$0].key.unsafelyUnwrapped.precomputedHash }
  }

  mutating func remove(_ place: Int) -> Removed {
    unlink(place)
    let node = nodes[place]
    let nodes = nodes
    table.remove(node.key.unsafelyUnwrapped.precomputedHash, place) {
      nodes[$0].key.unsafelyUnwrapped.precomputedHash
    }
    nodes[place] = Node(next: free)
    free = Int32(place)
    return Removed(
      key: node.key.unsafelyUnwrapped, entry: node.entry.unsafelyUnwrapped, cost: node.cost, stored: node.stored)
  }

  /// The places of everything made of the original of `key`.
  func places(ofOriginal key: CacheKey) -> [Int] {
    places.filter { nodes[$0].key.unsafelyUnwrapped.hasSameOriginal(as: key) }
  }

  /// Gives an entry another record; returns what was replaced.
  func renew(_ place: Int, _ response: ResponseRecord) -> CacheEntry {
    let entry = entry(at: place)
    var record = entry.record
    record.response = response
    nodes[place].entry = entry.with(record)
    return entry
  }

  private mutating func takeNode() -> Int {
    if free != 0 {
      let place = Int(free)
      free = nodes[place].next
      return place
    }
    if used == capacity { grow() }
    nodes.advanced(by: used).initialize(to: Node())
    used += 1
    return used - 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: nodes, count: used)
    nodes.deallocate()
    nodes = larger
    capacity *= 2
  }

  private func unlink(_ place: Int) {
    nodes[Int(nodes[place].previous)].next = nodes[place].next
    nodes[Int(nodes[place].next)].previous = nodes[place].previous
  }

  private func linkFirst(_ place: Int) {
    let first = nodes[0].next
    nodes[place].previous = 0
    nodes[place].next = first
    nodes[Int(first)].previous = Int32(place)
    nodes[0].next = Int32(place)
  }
}
