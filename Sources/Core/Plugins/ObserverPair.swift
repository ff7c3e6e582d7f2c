/// Two observers of the same loads, told one after the other.
struct ObserverPair: ImageObserver {
  private let first: any ImageObserver
  private let second: any ImageObserver

  /// Both, or the one that there is.
  static func joining(_ first: (any ImageObserver)?, _ second: (any ImageObserver)?) -> (any ImageObserver)? {
    guard let first, let second else { return first ?? second }
    return ObserverPair(first: first, second: second)
  }

  private init(first: any ImageObserver, second: any ImageObserver) {
    self.first = first
    self.second = second
  }

  func observe(_ event: ImageEvent) {
    first.observe(event)
    second.observe(event)
  }
}
