import FoundationEssentials

/// Files of one size on a server, and the number of simultaneous loads.
struct CurlFiles: Sendable {
  let directory: String
  let count: Int
  let bytes: Int
  let transfers: Int
  let authorities: String?

  var urls: [URL] { (0..<count).map { URL(string: "\(directory)/\($0).bin")! } }

  /// Starts `transfers` callers; each loads one file after another until all files are loaded.
  func share(_ load: @escaping @Sendable (_ index: Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<transfers {
        group.addTask {
          for index in stride(from: caller, to: count, by: transfers) { try await load(index) }
        }
      }
      try await group.waitForAll()
    }
  }
}
