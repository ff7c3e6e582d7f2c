import EaselCore
import EaselSupport

/// The latest transforms, limited in number and in memory.
final class ColorTransformCache: Sendable {
  static let shared = ColorTransformCache()

  private let mostEntries: Int
  private let mostBytes: Int
  private let state = Locked(State())

  private struct State {
    /// The entries; the least recently used is first.
    ///
    /// There are so few that a search costs less than a linked list.
    var entries: [(recipe: ColorTransformRecipe, handle: ColorTransformHandle)] = []
    var bytes = 0

    mutating func find(_ recipe: ColorTransformRecipe) -> ColorTransformHandle? {
      guard let index = entries.lastIndex(where: { $0.recipe == recipe }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.handle
    }
  }

  init(mostEntries: Int = 32, mostBytes: Int = 32 << 20) {
    self.mostEntries = mostEntries
    self.mostBytes = mostBytes
  }

  var count: Int { state.withLock { $0.entries.count } }

  func handle(for recipe: ColorTransformRecipe) throws(ImageError) -> ColorTransformHandle {
    if let known = find(recipe) { return known }
    // Created outside the lock: if two callers create one at once, both use the one that is stored first.
    let made = try ColorTransformHandle(recipe)
    return keep(made, for: recipe)
  }

  private func find(_ recipe: ColorTransformRecipe) -> ColorTransformHandle? {
    state.withLock { $0.find(recipe) }
  }

  private func keep(_ handle: ColorTransformHandle, for recipe: ColorTransformRecipe) -> ColorTransformHandle {
    // Removed transforms are freed outside the lock.
    var evicted: [ColorTransformHandle] = []
    defer { withExtendedLifetime(evicted) {} }
    return state.withLock { state in
      if let known = state.find(recipe) { return known }
      state.entries.append((recipe, handle))
      state.bytes += recipe.cost
      while state.entries.count > 1, state.entries.count > mostEntries || state.bytes > mostBytes {
        let oldest = state.entries.removeFirst()
        state.bytes -= oldest.recipe.cost
        evicted.append(oldest.handle)
      }
      return handle
    }
  }
}
