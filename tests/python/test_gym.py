"""sarrus.gym against Gymnasium's own words: its checker, its SyncVectorEnv in each way of beginning anew, its registry; bits of an
environment whatever the number of others; actions of NaN and beyond the limits. Exit code 77 (skipped) without gymnasium or the
package."""

import gc
import importlib.util
import signal
import sys
import threading
import warnings
import weakref
from dataclasses import replace

try:
    import gymnasium
    import numpy as np
    import sarrus
    import sarrus.gym
    from gymnasium.utils.env_checker import check_env
    from gymnasium.vector import AutoresetMode, SyncVectorEnv
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SHORT = 12  # steps of an episode here


def actions_of(env, n_steps, seed=0):
    """[n_steps, N, A] for the policy, some beyond its limits."""
    width = env.single_action_space.shape[0]
    return np.random.default_rng(seed).uniform(-1.2, 1.2, (n_steps, env.num_envs, width))


def native(name, n, **options):
    return sarrus.gym.VectorEnv(name, n, **({"threads": 1, "specialize": "off"} | options))


def check_checker():
    """Gymnasium's checker, which warns of nothing but of observations without bounds."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(gymnasium.make("sarrus/FiveBarReach-v0").unwrapped)
        check_env(sarrus.gym.Env("FiveBarReach-v0", dtype=np.float64), skip_render_check=True)
    others = [str(w.message) for w in told if "infinity" not in str(w.message)]
    assert not others, others


def check_make():
    """What make and make_vec give, and that both keep the length of an episode they are asked for."""
    spec = gymnasium.spec("sarrus/FiveBarReach-v0")
    assert spec.max_episode_steps == sarrus.gym.task_of("FiveBarReach-v0").max_episode_steps
    assert {f"sarrus/{name}" for name in sarrus.gym.TASKS} <= set(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sarrus.gym.registration.register_all()  # once is enough: Gymnasium warns of what is registered again
        env = gymnasium.make_vec("sarrus/FiveBarReach-v0", num_envs=3, vectorization_mode="vector_entry_point")
    assert type(env) is sarrus.gym.VectorEnv and env.num_envs == 3, env
    assert env.spec.id == "sarrus/FiveBarReach-v0" and env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert type(gymnasium.make_vec("sarrus/FiveBarReach-v0", num_envs=2)) is sarrus.gym.VectorEnv
    for n_steps in (5, 130):
        single = gymnasium.make("sarrus/FiveBarReach-v0", max_episode_steps=n_steps)
        vector = gymnasium.make_vec("sarrus/FiveBarReach-v0", num_envs=1, max_episode_steps=n_steps)
        single.reset(seed=1)
        vector.reset(seed=1)
        for k in range(n_steps):
            one, many = single.step(np.zeros(2)), vector.step(np.zeros((1, 2)))
            assert not one[2] and one[3] == many[3][0] == (k == n_steps - 1), (n_steps, k, one[3], many[3])


def check_against_sync(mode):
    """The native environments do what SyncVectorEnv makes of single ones: observations, rewards, flags, infos."""
    n, name = 5, "FiveBarReach-v0"
    ours = native(name, n, autoreset_mode=mode, max_episode_steps=SHORT)
    single = [lambda: sarrus.gym.Env(name, specialize="off", max_episode_steps=SHORT)] * n
    theirs = SyncVectorEnv(single, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    seeds = [7, 3, 11, 3, 2**40]
    same(ours.reset(seed=seeds), theirs.reset(seed=seeds))
    actions = actions_of(ours, 3 * SHORT)
    actions[4, 2] = np.nan
    actions[SHORT - 2, 3] = np.nan  # one step before the episode is truncated
    n_ended = n_failed = 0
    for k, action in enumerate(actions):
        got, expected = ours.step(action), theirs.step(action)
        same(got, expected)
        ended = got[2] | got[3]
        n_ended += ended.sum()
        n_failed += "status" in (got[4].get("final_info", got[4]))
        if mode is AutoresetMode.DISABLED and ended.any():
            refused = False
            try:
                ours.step(action)
            except gymnasium.error.ResetNeeded:
                refused = True
            assert refused
            again = [None, 100 + k, None, None, None]
            same(*(env.reset(seed=again, options={"reset_mask": ended.copy()}) for env in (ours, theirs)))
    assert n_ended >= 2 * n and n_failed == 2, (n_ended, n_failed)


def same(got, expected):
    """The same bits, and infos; final observations of theirs stand in an array of objects."""
    for i, (ours, theirs) in enumerate(zip(got[:-1], expected[:-1], strict=True)):
        assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes(), (i, ours, theirs)
    same_infos(got[-1], expected[-1])


def same_infos(ours, theirs):
    assert ours.keys() == theirs.keys(), (ours.keys(), theirs.keys())
    for name, values in theirs.items():
        mask = theirs.get(f"_{name}")
        if name == "final_info":
            same_infos(ours[name], values)
        elif name == "final_obs":
            assert ours[name].dtype == np.float32 and ours[name][mask].tobytes() == np.stack(list(values[mask])).tobytes()
        else:
            mask = slice(None) if mask is None else mask
            assert np.array_equal(ours[name][mask], values[mask]), (name, ours[name], values)


def check_masks():
    """What a reset is refused; and that environments outside of the mask do not notice one."""
    env = native("FiveBarReach-v0", 4, autoreset_mode="Disabled")
    env.reset(seed=0)
    wrong = ([True] * 4, TypeError), (np.ones(4), TypeError), (np.ones(3, bool), ValueError), (np.zeros(4, bool), ValueError)
    for mask, kind in wrong:
        try:
            env.reset(options={"reset_mask": mask})
        except kind:
            continue
        raise AssertionError(f"{mask} was taken")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        native("FiveBarReach-v0", 4).reset(options={"mask": np.zeros(4, bool)})
    assert [own.category for own in told] == [sarrus.SarrusWarning] and "expected reset_mask" in str(told[0].message), told
    other = native("FiveBarReach-v0", 4, autoreset_mode="Disabled")
    other.reset(seed=0)
    got = expected = None
    for k, action in enumerate(actions_of(env, 10)):
        if k == 5:
            shown, infos = env.reset(seed=[None, 9, None, None], options={"reset_mask": np.array([False, True, False, False])})
            assert list(infos["_distance"]) == [False, True, False, False]
            assert np.array_equal(shown[0], got[0][0])  # of the step before: those outside of the mask go on from where they are
        got, expected = env.step(action), other.step(action)
        rest = [0, 2, 3]
        assert got[0][rest].tobytes() == expected[0][rest].tobytes() and got[1][rest].tobytes() == expected[1][rest].tobytes(), k
        assert k < 5 or got[0][1].tobytes() != expected[0][1].tobytes()


def check_fresh():
    """An episode after a reset has the bits of one in a fresh environment that is put into the same episode."""
    used, fresh = native("FiveBarReach-v0", 3), native("FiveBarReach-v0", 3)
    used.reset(seed=4)
    for action in actions_of(used, 20):
        used.step(action)
    first, _ = used.reset(seed=4)
    assert first.tobytes() == fresh.reset(seed=4)[0].tobytes()
    for action in actions_of(used, 20, seed=2):
        assert used.step(action)[0].tobytes() == fresh.step(action)[0].tobytes()
    assert used.reset()[0].tobytes() == fresh.reset()[0].tobytes()
    parameters = used.batch.parameters
    expected = []
    for seed in (4, 5, 6):  # what is drawn is what the library draws of that seed and that episode
        batch = sarrus.Batch(used.batch.model, 1, first_instance=seed % 1024)
        batch.redraw(seeds=[seed], episodes=[1])
        expected.append(batch.parameters[0])
    assert np.array_equal(parameters, expected)


def check_seeds():
    env = native("FiveBarReach-v0", 3)
    first, _ = env.reset(seed=10)
    assert env.np_random_seed == (10, 11, 12)
    second, _ = env.reset()
    assert not np.any(np.all(first == second, axis=1))  # another episode
    assert np.array_equal(env.reset(seed=[10, 11, 12])[0], first) and np.array_equal(env.reset()[0], second)
    assert np.array_equal(env.reset(seed=[11, None, 10])[0][[0, 2]], first[[1, 0]])
    for wrong in ([1, 2], [-1, 0, 1], 1.5, "one", [1, 2, 2.5]):
        try:
            env.reset(seed=wrong)
        except (ValueError, gymnasium.error.Error):
            continue
        raise AssertionError(f"{wrong} was taken")
    a, b = (native("FiveBarReach-v0", 2).reset()[0] for _ in range(2))
    assert not np.any(np.all(a == b, axis=1))  # without seeds none are alike
    fixed = native("FiveBarReach-v0", 2, randomize=False)
    fixed.reset(seed=0)
    assert np.array_equal(fixed.batch.q[0], fixed.batch.q[1])


def check_nan(mode):
    """An action of NaN ends one environment in that step; it begins anew; the others' bits are those without it."""
    n, at = 6, 4
    hurt, whole = (native("FiveBarReach-v0", n, autoreset_mode=mode) for _ in range(2))
    hurt.reset(seed=1)
    whole.reset(seed=1)
    rest = [i for i in range(n) if i != 2]
    for k, action in enumerate(actions_of(hurt, 12)):
        bad = action.copy()
        if k == at:
            bad[2, 1] = np.nan
        got, expected = hurt.step(bad), whole.step(action)
        for a, b in zip(got[:4], expected[:4], strict=True):
            assert a[rest].tobytes() == b[rest].tobytes(), k
        assert np.all(np.isfinite(got[0])) and np.all(np.isfinite(got[1])), k
        told = got[4].get("final_info", got[4])
        assert ("status" in told) == (k == at), (k, told)
        if k == at:
            assert list(told["_status"]) == [i == 2 for i in range(n)]
            assert sarrus.STATUS_WORDS[told["status"][2]] == "nonfinite_force"
            assert got[2][2] and not got[3][2] and got[1][2] == hurt.task.failure_reward
        else:
            assert not got[2][2]
    assert np.all(hurt.batch.status == 0)


def check_actions():
    """Clipped, scaled to the limits, held over the substeps, wired to the inputs."""
    task = sarrus.gym.task_of("FiveBarReach-v0")
    env = native(task, 2, substeps=3)
    env.reset(seed=0)
    env.step([[0.5, -7.0], [1.0, 0.25]])
    limit = task.high[0]
    assert np.allclose(env.batch.input, np.array([[0.5, -1.0], [1.0, 0.25]]) * limit, rtol=1e-15)
    assert np.allclose(env.batch.time, 3 * 2e-3)
    physical = native(replace(task, normalised=False, low=(-0.1, 0.0), wiring=[(1, 1.0), (0, -2.0)]), 1)
    assert np.array_equal(physical.single_action_space.low, np.array([-0.1, 0.0], dtype=np.float32))
    physical.reset(seed=0)
    physical.step([[-0.5, 0.2]])
    assert np.array_equal(physical.batch.input, [[0.2, 0.2]])
    batch = sarrus.Batch(env.batch.model, 1, draw=False, threads=1, specialize="off")
    batch.input = [[0.2, 0.2]]
    batch.advance(task.substeps)
    bare = native(replace(task, normalised=False), 1, randomize=False, specialize="off")
    bare.reset(seed=0)
    bare.step([[0.2, 0.2]])
    assert bare.batch.q.tobytes() == batch.q.tobytes()  # the mechanism moves as the batch alone does
    try:
        env.step(np.zeros((2, 3)))
    except sarrus.ArgumentError:
        return
    raise AssertionError("actions of another shape were taken")


def check_dtype():
    for dtype in (np.float32, np.float64):
        env = native("FiveBarReach-v0", 2, dtype=dtype)
        seen, _ = env.reset(seed=0)
        assert seen.dtype == dtype and seen in env.observation_space and env.step(np.zeros((2, 2)))[0].dtype == dtype
    one, two = (native("FiveBarReach-v0", 2, dtype=d).reset(seed=0)[0] for d in (np.float32, np.float64))
    assert np.array_equal(one, two.astype(np.float32)) and not np.array_equal(one, two)


def check_close():
    env = native("FiveBarReach-v0", 2)
    env.reset(seed=0)
    batch = weakref.ref(env.batch)
    env.close()
    env.close()
    gc.collect()
    assert batch() is None, "memory and threads of a closed environment stay"
    for call in (env.reset, lambda: env.step(np.zeros((2, 2)))):
        try:
            call()
        except gymnasium.error.ClosedEnvironmentError:
            continue
        raise AssertionError("closed environments went on")


def check_interrupt():
    """Ctrl-C stops a step; a reset makes the environments new."""
    env = native("FiveBarReach-v0", 2, substeps=10**9)
    env.reset(seed=1)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        env.step(np.zeros((2, 2)))
    except KeyboardInterrupt:
        assert env.reset(seed=2)[0].tobytes() == native("FiveBarReach-v0", 2).reset(seed=2)[0].tobytes()
        return
    raise AssertionError("the step was not stopped")


def check_stable_baselines():
    """The interface of Stable-Baselines3 shows what the environments do, returns and lengths of episodes besides."""
    from sarrus.gym.stable_baselines import StableBaselinesEnv

    options = {"autoreset_mode": "SameStep", "max_episode_steps": SHORT}
    bare, env = native("FiveBarReach-v0", 3, **options), StableBaselinesEnv(native("FiveBarReach-v0", 3, **options))
    env.seed(5)
    assert np.array_equal(env.reset(), bare.reset(seed=5)[0])
    returns, n_ended = np.zeros(3), 0
    for k, action in enumerate(actions_of(bare, 2 * SHORT)):
        if k == 3:
            action[1] = np.nan
        seen, rewards, ended, infos = env.step(action)
        expected = bare.step(action)
        returns += expected[1]
        assert np.array_equal(seen, expected[0]) and np.array_equal(rewards, expected[1].astype(np.float32))
        assert np.array_equal(ended, expected[2] | expected[3])
        for i in np.flatnonzero(ended):
            n_ended += 1
            assert np.array_equal(infos[i]["terminal_observation"], expected[4]["final_obs"][i])
            assert infos[i]["TimeLimit.truncated"] == (not expected[2][i])
            assert np.isclose(infos[i]["episode"]["r"], returns[i]) and infos[i]["episode"]["l"] == (4 if k == 3 else SHORT)
            returns[i] = 0.0
    assert n_ended == 6, n_ended


def main():
    if importlib.util.find_spec("stable_baselines3") is not None:
        check_stable_baselines()
    check_make()
    check_checker()
    for mode in AutoresetMode:
        check_against_sync(mode)
        if mode is not AutoresetMode.DISABLED:
            check_nan(mode)
    check_masks()
    check_fresh()
    check_seeds()
    check_actions()
    check_dtype()
    check_interrupt()
    check_close()
    print("ok")


if __name__ == "__main__":
    main()
