extension SQLiteDiskStore {
  /// The limits of a store: the size of all entries and the age of each.
  public struct Limits: Hashable, Sendable {
    /// The time from which the age of an entry is counted.
    public enum AgeBasis: Hashable, Sendable, CaseIterable {
      /// The last lookup of the entry.
      case lastUse
      /// The last change of the entry's bytes or of its record.
      case lastChange
      /// The time at which the entry was first stored.
      case creation
    }

    /// The most bytes that all entries take together; nil for no limit.
    public var sizeLimit: Int?
    /// The age at which an entry expires; negative for no limit.
    public var ageLimit: Duration
    /// The time from which the age is counted.
    public var ageBasis: AgeBasis

    /// Creates limits for the size of the store and the age of its entries.
    ///
    /// The defaults are 1 GiB and a week since the last use.
    public init(
      sizeLimit: Int? = 1 << 30, ageLimit: Duration = .seconds(7 * 24 * 3600), ageBasis: AgeBasis = .lastUse
    ) {
      self.sizeLimit = sizeLimit
      self.ageLimit = ageLimit
      self.ageBasis = ageBasis
    }

    /// Entries from this time or earlier have expired; nil when entries do not expire.
    func oldest(at now: Double) -> Double? { ageLimit < .zero ? nil : now - ageLimit / .seconds(1) }

    /// Entries that were created at this time or earlier have expired; nil unless ages count from the creation.
    func oldestCreation(at now: Double) -> Double? { ageBasis == .creation ? oldest(at: now) : nil }

    func isExpired(_ dates: Database.Dates, at now: Double) -> Bool {
      guard let oldest = oldest(at: now) else { return false }
      switch ageBasis {
      case .lastUse: return dates.used <= oldest
      case .lastChange: return dates.changed <= oldest
      case .creation: return dates.created <= oldest
      }
    }
  }
}
