import EaselWorkers

extension TieredCache {
  /// Some entries of the disk from a place on; nil if there is no disk, or none that can be listed.
  package func listing(onDiskFrom place: Int64) async throws -> StoreListing? {
    guard let store = disk as? any ListingStore else { return nil }
    return try await calls.run(within: DiskStoreCalls.readTime) { try store.listing(from: place) }
  }
}
