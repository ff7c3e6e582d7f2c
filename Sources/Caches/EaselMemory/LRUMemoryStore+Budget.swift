import EaselCore
import EaselSupport

extension LRUMemoryStore {
  /// Tells how much memory this process may use.
  public enum Budget {
    /// The memory of the machine, or less when a control group limits the process.
    public static var available: Int { ControlGroupMemory.available }

    /// The default cost limit of a store: a quarter of the available memory.
    public static var defaultCostLimit: Int { available / 4 }
  }
}
