import EaselCore
import EaselSupport

extension LRUMemoryStore {
  /// Tells how much memory this process may use.
  public enum Budget {
    /// The memory of the machine, or the limit of the control group if that is less.
    public static var available: Int { ControlGroupMemory.available }

    /// The default cost limit of a store: a quarter of the available memory.
    public static var defaultCostLimit: Int { available / 4 }
  }
}
