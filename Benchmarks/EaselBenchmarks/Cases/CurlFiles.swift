import FoundationEssentials

/// Files of one size on a server, and how many of them are loaded at once.
struct CurlFiles: Sendable {
  let directory: String
  let count: Int
  let bytes: Int
  let transfers: Int
  let authorities: String?

  var urls: [URL] { (0..<count).map { URL(string: "\(directory)/\($0).bin")! } }

  /// Has `transfers` callers load one file after another each, until all are loaded.
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
